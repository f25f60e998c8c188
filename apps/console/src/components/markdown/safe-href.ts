const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** The address of a link if following it can't run anything here; null: it is none that we follow. */
export function safeHref(href: string): string | null {
  try {
    return SCHEMES.has(new URL(href).protocol) ? href : null;
  } catch {
    return null; // relative ones would lead into this console
  }
}
