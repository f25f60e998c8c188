/** Returns the query key of a list that is loaded page by page. `filters` distinguishes lists of the same name. */
export function listKey(scopeKey: string, name: string, filters: Readonly<Record<string, unknown>>) {
  return [scopeKey, name, 'list', filters] as const;
}

export const messagesKey = (scopeKey: string, sessionId: string) => listKey(scopeKey, 'messages', { sessionId });
