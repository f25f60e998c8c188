// Sets the language, color scheme, and outline of the page before the first paint. The page's policy forbids inline scripts.
try {
  const { documentElement } = document;
  const { dataset } = documentElement;
  const known = ['en', 'de', 'es', 'fr', 'zh', 'ar'];
  const remembered = JSON.parse(localStorage.getItem('chorus.language'));
  const wanted = [remembered, ...navigator.languages.map((tag) => tag.split('-')[0])];
  const language = wanted.find((code) => known.includes(code)) ?? 'en';
  documentElement.lang = language;
  documentElement.dir = language === 'ar' ? 'rtl' : 'ltr';
  // The scripts of the page would request these later.
  const version = document.querySelector('meta[name=messages]')?.content;
  for (const area of version === undefined ? [] : ['common', 'chat', 'modes']) {
    const href = `assets/messages-${language}-${area}-${version}.js`;
    document.head.append(
      Object.assign(document.createElement('link'), { rel: 'modulepreload', href, crossOrigin: '' }),
    );
  }
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const isDark = chosen?.includes('dark') || (!chosen?.includes('light') && prefersDark);
  dataset.mantineColorScheme = isDark ? 'dark' : 'light';
  if (isDark) document.querySelector('meta[name=theme-color]').content = '#15171c';
  if (localStorage.getItem('chorus.login') !== null) dataset.outline = 'shell';
} catch {
  // Without storage, the page starts with its defaults.
}
