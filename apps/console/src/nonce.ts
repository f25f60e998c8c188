/** The nonce of this page, which its policy asks of style sheets that scripts write; empty while it is worked on without a policy. */
export const nonce: string = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Where the library that holds the page still behind dialogs looks for it.
Object.assign(globalThis, { __webpack_nonce__: nonce });
