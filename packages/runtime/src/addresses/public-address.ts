/** Returns the hosts of a Redis or MongoDB URL, without login, options, and database, for logs. */
export function publicAddress(url: string): string {
  const [whole = ''] = url.split('?');
  // A password may contain any of the other separators.
  const behind = whole.slice(whole.includes('@') ? whole.lastIndexOf('@') + 1 : whole.indexOf('://') + 3);
  if (url.startsWith('unix:')) return behind;
  const hosts = behind.replaceAll(/,\s*\w+:\/\//g, ',').split('/')[0] ?? '';
  return decodeSafely(hosts);
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
