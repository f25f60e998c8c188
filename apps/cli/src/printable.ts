/** Removes control characters, which could command a terminal; keeps newlines and tabs. */
export const printable = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, '');
