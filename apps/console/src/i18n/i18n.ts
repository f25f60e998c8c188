import { type Messages, setupI18n } from '@lingui/core';
import { directionOf, type Language, languages, localeOf } from './languages.ts';
import { loadMessages } from './load-messages.ts';
import type { Area, MessageKey } from './messages.ts';

const KEY = 'chorus.language';

const i18n = setupI18n();
const areas = new Set<Area>();
const listeners = new Set<() => void>();

/** Returns a message in the current language. */
export function t(key: MessageKey, values?: Readonly<Record<string, string | number>>): string {
  return i18n._(key, values);
}

/** The language of the page, which `first-paint.js` has chosen. */
export function currentLanguage(): Language {
  const tag = document.documentElement.lang.split('-')[0];
  return languages.find(({ code }) => code === tag)?.code ?? 'en';
}

export const formatNumber = (value: number, options?: Intl.NumberFormatOptions): string => i18n.number(value, options);

export const formatDate = (value: Date, options: Intl.DateTimeFormatOptions): string => i18n.date(value, options);

/** Switches to a language and remembers it. */
export async function changeLanguage(language: Language): Promise<void> {
  // Repeat if a page was opened in the meantime.
  for (let known = -1; known !== areas.size; ) {
    known = areas.size;
    await Promise.all([...areas].map((area) => load(language, area)));
  }
  localStorage.setItem(KEY, JSON.stringify(language));
  activate(language);
}

export function onLanguageChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Loads the messages that a page needs together with the page. */
export function withMessages<T>(needed: readonly Area[], page: () => Promise<T>): () => Promise<T> {
  return async () => {
    const [loaded] = await Promise.all([page(), ...needed.map(loadArea)]);
    return loaded;
  };
}

/** Loads the messages of the first page. */
export async function startLanguage(needed: readonly Area[]): Promise<void> {
  await Promise.all(needed.map(loadArea));
  activate(currentLanguage());
}

/** Adds messages without a request, for tests. */
export function addMessages(area: Area, messages: Readonly<Record<string, string>>): void {
  add('en', area, messages);
  i18n.activate('en', 'en-US');
}

async function loadArea(area: Area): Promise<void> {
  areas.add(area); // so that a change of the language includes it
  await load(currentLanguage(), area);
}

async function load(language: Language, area: Area): Promise<void> {
  add(language, area, await loadMessages(language, area));
}

function add(language: Language, area: Area, messages: Messages): void {
  i18n.load(
    language,
    Object.fromEntries(Object.entries(messages).map(([name, message]) => [`${area}.${name}`, message])),
  );
}

function activate(language: Language): void {
  const locale = localeOf(language);
  i18n.activate(language, locale);
  document.documentElement.lang = locale.replace(/-u-.*/, '');
  document.documentElement.dir = directionOf(language);
  for (const listener of listeners) listener();
}
