import { t } from '../i18n/i18n.ts';

/** The images that the server can read, as in the `accept` attribute. */
export const READABLE_IMAGES =
  '.png,.jpg,.jpeg,.webp,.gif,.tif,.tiff,.avif,image/png,image/jpeg,image/webp,image/gif,image/tiff,image/avif';

export const readableImagesInWords = () => t('common.readableImages');

/** Returns whether a file matches a list of media types and extensions, as in the `accept` attribute. */
export function isAccepted(accept: string, { name, type }: Pick<File, 'name' | 'type'>): boolean {
  const filename = name.toLowerCase();
  return accept.split(',').some((one) => {
    if (one.startsWith('.')) return filename.endsWith(one);
    return one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one;
  });
}

/** Explains why files are left out, and which ones can be chosen instead. */
export function describeRejected(names: readonly string[], supported: string): { title: string; advice: string } {
  const [first = ''] = names;
  const title =
    names.length === 1
      ? t('common.unsupportedFile', { name: first })
      : t('common.unsupportedFiles', { count: names.length });
  const others =
    names.length === 1 ? '' : `${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ', …' : ''}. `;
  return { title, advice: `${others}${t('common.supportedTypes', { types: supported })}` };
}

const MAX_NAMES = 5;

/** The documents that the server can read, and audio, which it transcribes. */
const CODE =
  '.c,.cpp,.cs,.css,.go,.h,.ini,.java,.js,.json,.jsonl,.kt,.log,.lua,.php,.pl,.py,.r,.rb,.rs,.scala,.sh,.sql,.svelte,.swift,.toml,.ts,.tsx,.vue,.xml,.yaml,.yml';
const DOCUMENTS = `.pdf,.docx,.pptx,.xlsx,.odt,.epub,.html,.htm,.md,.markdown,.txt,.csv,.tsv,${CODE},text/*`;
const AUDIO = '.mp3,.wav,.m4a,.flac,.ogg,.opus,.webm,.mp4,audio/*';

export const READABLE_DOCUMENTS = `${DOCUMENTS},${AUDIO},${READABLE_IMAGES}`;

export const readableDocumentsInWords = () => t('common.readableDocuments');
