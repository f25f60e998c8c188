import { ChorusError } from '@chorus/contract/errors';
import { officeTitle } from '../package/office-title.ts';
import type { Package } from '../package/open-package.ts';
import { readXml } from '../package/read-xml.ts';
import { relationOf, relationsOf } from '../package/relations.ts';
import type { PackageReader } from '../parse-task.ts';
import { PictureList } from '../pictures/picture-list.ts';
import { TableWriter } from '../text/write-table.ts';
import { SheetReader } from './xlsx-sheet.ts';
import { readCellStyles } from './xlsx-styles.ts';

interface Sheet {
  name: string;
  id: string;
  isHidden: boolean;
}

/** Reads the sheets of a workbook, each under its name, with formatted values and the last results of formulas. */
export const readXlsx: PackageReader = async ({ packed, part, limits, writer }) => {
  const relations = await relationsOf(packed, part);
  const { sheets, isFrom1904 } = await readWorkbook(packed, part);
  const styles = await readCellStyles(packed, relationOf(relations, 'styles'), isFrom1904);
  const strings = await readStrings(packed, relationOf(relations, 'sharedStrings'), limits.characters);
  const targets = new Map(relations.map(({ id, target }) => [id, target]));
  const shown = sheets.filter(({ isHidden }) => !isHidden);
  const total = shown.reduce((sum, { id }) => sum + packed.sizeOf(targets.get(id) ?? ''), 1);
  const pictures = new PictureList(writer);
  let done = 0;
  for (const { name, id } of shown) {
    const sheet = targets.get(id) ?? '';
    const table = new TableWriter(writer);
    // The heading is written with the first cell, so empty sheets have none.
    const begin = () => writer.add('heading', name, { level: 1 });
    await readXml(packed, sheet, new SheetReader(table, { strings, styles }, begin), (readBytes) =>
      writer.reach(Math.min(done + readBytes, total), total),
    );
    table.end();
    await markPictures(packed, sheet, pictures);
    done += packed.sizeOf(sheet);
  }
  await pictures.sendFrom(packed);
  const hidden = sheets.filter(({ isHidden }) => isHidden).map(({ name }) => name.slice(0, 60));
  const left = hidden.length === 0 ? [] : [`Hidden sheets were left out: ${hidden.slice(0, 20).join(', ')}.`];
  const title = await officeTitle(packed, relationOf(await relationsOf(packed, ''), 'core-properties'));
  return { title, warnings: [...left, ...pictures.warnings()] };
};

/** Marks the pictures of a sheet, after its cells. */
async function markPictures(packed: Package, sheet: string, pictures: PictureList): Promise<void> {
  const drawing = relationOf(await relationsOf(packed, sheet), 'drawing');
  if (drawing === undefined) return;
  for (const { type, target } of await relationsOf(packed, drawing)) if (type === 'image') pictures.mark(target);
}

async function readWorkbook(packed: Package, part: string): Promise<{ sheets: Sheet[]; isFrom1904: boolean }> {
  const sheets: Sheet[] = [];
  let isFrom1904 = false;
  await readXml(packed, part, {
    open(name, attribute) {
      if (name === 'sheet')
        sheets.push({
          name: attribute('name') ?? '',
          id: attribute('r:id') ?? '',
          isHidden: (attribute('state') ?? 'visible') !== 'visible',
        });
      else if (name === 'workbookPr') isFrom1904 = /^(?:1|true)$/.test(attribute('date1904') ?? '');
    },
  });
  return { sheets, isFrom1904 };
}

async function readStrings(packed: Package, part: string | undefined, maxCharacters: number): Promise<string[]> {
  const strings: string[] = [];
  if (part === undefined) return strings;
  let left = maxCharacters;
  let text = '';
  let isText = false;
  let spoken = 0;
  await readXml(packed, part, {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') spoken += 1;
      isText = name === 't' && spoken === 0;
    },
    close(name) {
      isText = false;
      if (name === 'rPh') spoken -= 1;
      else if (name === 'si') strings.push(text);
    },
    text(piece) {
      if (!isText) return;
      left -= piece.length;
      if (left < 0)
        throw new ChorusError(
          'payload_too_large',
          `The workbook has more than the ${maxCharacters} characters allowed.`,
        );
      text += piece;
    },
  });
  return strings;
}
