/** The images that the server can read, as in the `accept` attribute. */
export const READABLE_IMAGES =
  '.png,.jpg,.jpeg,.webp,.gif,.tif,.tiff,.avif,image/png,image/jpeg,image/webp,image/gif,image/tiff,image/avif';

export const READABLE_IMAGES_IN_WORDS = 'PNG, JPEG, WebP, GIF, TIFF, and AVIF images';

/** Returns whether a file matches a list of media types and extensions, as in the `accept` attribute. */
export function isAccepted(accept: string, { name, type }: Pick<File, 'name' | 'type'>): boolean {
  const filename = name.toLowerCase();
  return accept.split(',').some((one) => {
    if (one.startsWith('.')) return filename.endsWith(one);
    return one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one;
  });
}

/** Says why files are left out, and what can be chosen instead. */
export function describeRejected(names: readonly string[], supported: string): { title: string; advice: string } {
  const [first = ''] = names;
  const title =
    names.length === 1 ? `“${first}” has an unsupported type` : `${names.length} files have an unsupported type`;
  const others =
    names.length === 1 ? '' : `${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ', …' : ''}. `;
  return { title, advice: `${others}Supported: ${supported}.` };
}

const MAX_NAMES = 5;
