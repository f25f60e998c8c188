/** Without the control characters by which what somebody else has written could command a terminal; lines and tabs stay. */
export const printable = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, '');
