import { createClient } from '@chorus/client';
import { basePath } from '../base-path.ts';
import { BrowserLogin } from './browser-login.ts';
import { loginStore } from './login-store.ts';

const baseUrl = `${location.origin}${basePath}`;

/** The login of this browser. */
export const login = new BrowserLogin({ baseUrl, store: loginStore });

/** Asks as the user who is signed in, in personal scope. */
export const accountClient = createClient({ baseUrl, auth: login });
