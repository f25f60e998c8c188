import type { OcrEngine } from '@chorus/contract';

/** Explains how an operator adds languages to the engine. */
export function howToAdd(languages: readonly string[], { name }: Pick<OcrEngine, 'name'>): string {
  const some = languages.slice(0, 5);
  const debian = some.map((language) => `tesseract-ocr-${language.toLowerCase().replaceAll('_', '-')}`).join(' ');
  const files = some.map((language) => `${language}.traineddata`).join(', ');
  const program = name === 'tesseract' ? '' : 'tesseract-ocr ';
  return `To add it, run \`apt-get install ${program}${debian}\` where the workers run, or put ${files} into the folder TESSDATA_PREFIX; then restart them.`;
}
