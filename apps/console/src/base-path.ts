/** The path under which the platform is served, without a slash at its end: a proxy may have put it below one. */
export const basePath: string = new URL(document.baseURI).pathname.replace(/\/+$/, '');
