// Tells the live elements of a page how the visitor looks at its runs, by the fields of the sidebar.
export default function ({ data: { page, look } }) {
  const looks = (window.cvarLooks ??= new Map());
  looks.set(page, { ...looks.get(page), ...look });
  window.dispatchEvent(new CustomEvent("cvar-look", { detail: page }));
}

// On a phone the controls lie over the page: whoever presses Run wants to see what it does.
const NARROW = "(max-width: 768px)"; // where Streamlit lays its sidebar over the page
if (!window.cvarDrawer) {
  window.cvarDrawer = true;
  addEventListener("click", ({ target }) => {
    const run = target.closest?.('.st-key-run-bar button[kind="primary"]');
    const close = document.querySelector('[data-testid="stSidebarCollapseButton"] button');
    if (run?.disabled === false && close && matchMedia(NARROW).matches) setTimeout(() => close.click());
  });
}
