/** Where a URL of Redis or MongoDB leads, without its login, its options and its database: what a log may say. */
export function publicAddress(url: string): string {
  const [whole = ''] = url.split('?');
  // A password may hold any of the other signs.
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
