// Light or dark, as the user chose in the dashboard or here. It runs before the page is shown.
(() => {
  const chosen = localStorage.getItem('inlet-scheme');
  if (chosen !== null) document.documentElement.dataset.scheme = chosen;
})();
