/** The path prefix, if the platform is served below one; without a trailing slash. */
export const basePath: string = new URL(document.baseURI).pathname.replace(/\/+$/, '');

/** The style nonce of the content security policy; empty during development. */
export const nonce: string = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// react-remove-scroll looks for it here.
Object.assign(globalThis, { __webpack_nonce__: nonce });
