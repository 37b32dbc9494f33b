// Tells the live elements of a page how the visitor looks at its runs, by the fields of the sidebar.
export default function ({ data: { page, look } }) {
  const looks = (window.cvarLooks ??= new Map());
  looks.set(page, { ...looks.get(page), ...look });
  window.dispatchEvent(new CustomEvent("cvar-look", { detail: page }));
}
