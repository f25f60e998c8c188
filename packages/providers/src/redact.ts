const MAX_LENGTH = 300;

const PATTERNS: [RegExp, string][] = [
  [/\b(?:https?|wss?):\/\/[^\s"'<>)\]]+/gi, '[address]'],
  [/\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, '[credential]'],
  // Keys of providers: sk-…, gsk_…, AIza…, key-…. Also partly masked ones, as OpenAI quotes them.
  [/\b(?:sk|pk|gsk|rk|key|xai|chk)[-_][A-Za-z0-9*_.-]{4,}/gi, '[key]'],
  [/\bAIza[A-Za-z0-9_-]{10,}/g, '[key]'],
  [/[A-Za-z0-9]{2,}\*{3,}[A-Za-z0-9]*/g, '[key]'],
  [/\b[A-Fa-f0-9]{32,}\b/g, '[key]'],
];

/** Makes a provider's message safe to show: one line of at most 300 characters, without keys or addresses. */
export function redact(text: string, secrets: readonly (string | null)[]): string {
  let clean = text.slice(0, MAX_LENGTH * 10);
  for (const secret of secrets) if (secret !== null && secret.length >= 4) clean = clean.replaceAll(secret, '[key]');
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  clean = clean.replace(/\s+/g, ' ').trim();
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH - 1)}…` : clean;
}
