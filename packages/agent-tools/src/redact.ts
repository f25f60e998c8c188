/** Minimum length of a secret, since shorter values appear in texts by chance. */
const MIN_CHARS = 6;

/** Words before a secret in a header. */
const SCHEMES = new Set(['basic', 'bearer', 'digest', 'apikey']);

/** Removes secrets from texts. */
export type Redact = (text: string) => string;

/** Returns a function that replaces these secrets, including in encodings that a server could echo. */
export function redactor(secrets: readonly string[]): Redact {
  const parts = secrets.flatMap((secret) => [secret, ...secret.split(/[\s:;,]+/)]);
  const secret = parts.filter((part) => part.length >= MIN_CHARS && !SCHEMES.has(part.toLowerCase()));
  const forms = secret.flatMap(encodingsOf);
  const found = [...new Set(forms)].sort((a, b) => b.length - a.length);
  if (found.length === 0) return (text) => text;
  const pattern = new RegExp(found.map((form) => RegExp.escape(form)).join('|'), 'gi');
  return (text) => text.replace(pattern, '[redacted]');
}

function encodingsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    base64,
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}
