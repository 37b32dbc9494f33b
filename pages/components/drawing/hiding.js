// Which methods the reader has hidden on a page: its cards, its charts and their legends show and change the same.

const hiddenOn = (window.cvarHidden ??= new Map()); // by page; none where no cards are

const hidingOf = (key) => hiddenOn.get(key.split("-")[0]);

function hideOnPage(page, hidden) {
  hiddenOn.set(page, new Set(hidden));
  window.dispatchEvent(new CustomEvent("cvar-hide", { detail: page }));
}

function toggleOnPage(page, method) {
  const hidden = new Set(hiddenOn.get(page));
  if (!hidden.delete(method)) hidden.add(method);
  hideOnPage(page, hidden);
}

// Marks the cards of hidden methods.
function dimCards(place, page) {
  for (const card of place.querySelectorAll("[data-method]")) {
    const off = hiddenOn.get(page)?.has(card.dataset.method) ?? false;
    card.classList.toggle("cvar-off", off);
    card.querySelector(".cvar-toggle")?.setAttribute("aria-pressed", String(!off));
  }
}
