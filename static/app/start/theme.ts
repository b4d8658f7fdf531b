// A classic script in the head: the theme must be there before the first paint.
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    let chosen;
    try {
      chosen = localStorage.getItem('theme');
      // Shows every text in changed letters, so that words that stand elsewhere are found, from right to left as well.
      const language = localStorage.getItem('language');
      if (language?.startsWith('pseudo')) document.documentElement.lang = 'en-XA';
      if (language === 'pseudo-rtl') document.documentElement.dir = 'rtl';
    } catch {
      // Storage is switched off: the theme of the system holds.
    }
    document.documentElement.dataset.theme = chosen ?? (dark.matches ? 'dark' : 'light');
  };
  dark.addEventListener('change', apply);
  addEventListener('storage', apply);
  apply();
})();
