import { createClient, createLogin } from '@chorus/client';
import { basePath } from '../base-path.ts';
import { loginStore } from './login-store.ts';

const baseUrl = `${location.origin}${basePath}`;

/** The login of this browser. */
export const login = createLogin({ baseUrl, store: loginStore });

/** Asks as whoever has signed in, in personal scope. */
export const accountClient = createClient({ baseUrl, auth: login });
