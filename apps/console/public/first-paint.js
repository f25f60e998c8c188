// Sets the color scheme and the outline of the page before the first paint. The page's policy forbids inline scripts.
try {
  const { dataset } = document.documentElement;
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const isDark = chosen?.includes('dark') || (!chosen?.includes('light') && prefersDark);
  dataset.mantineColorScheme = isDark ? 'dark' : 'light';
  if (isDark) document.querySelector('meta[name=theme-color]').content = '#15171c';
  if (localStorage.getItem('chorus.login') !== null) dataset.outline = 'shell';
} catch {
  // Without storage, the page starts with its defaults.
}
