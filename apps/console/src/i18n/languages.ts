/** The languages of the console, each by its own name. `first-paint.js` lists the same codes. */
export const languages = [
  { code: 'en', name: 'English' },
  { code: 'de', name: 'Deutsch' },
  { code: 'es', name: 'Español' },
  { code: 'fr', name: 'Français' },
  { code: 'zh', name: '简体中文' },
  { code: 'ar', name: 'العربية' },
] as const;

export type Language = (typeof languages)[number]['code'];

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

/** Returns the tag for `lang` attributes and `Intl`: with the user's region if the browser names one. */
export function localeOf(language: Language): string {
  const known = navigator.languages.find((tag) => tag.split('-')[0] === language);
  if (language === 'zh') return 'zh-Hans';
  // Models, versions, and code have Latin digits.
  if (language === 'ar') return `${known?.replace(/-u-.*/, '') ?? language}-u-nu-latn`;
  return known ?? language;
}
