import type { BrowserContext } from 'playwright-core';

/** Signs a browser in: sets the refresh token's cookies and returns the user to remember. */
export async function signInContext(
  context: BrowserContext,
  url: string,
  data: { email: string; password: string },
): Promise<{ id: string }> {
  const headers = { 'X-Token-Storage': 'cookie', Origin: new URL(url).origin };
  const answer = await context.request.post(new URL('/api/v1/auth/login', url).href, { headers, data });
  if (!answer.ok()) throw new Error(`login: ${answer.status()} ${await answer.text()}`);
  return (await answer.json()).user;
}
