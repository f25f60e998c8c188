import { ChorusError } from '@chorus/contract/errors';
import { officeTitle } from '../package/office-title.ts';
import { readXml } from '../package/read-xml.ts';
import type { PackageReader } from '../parse-task.ts';
import { PictureList } from '../pictures/picture-list.ts';
import { FlowWriter } from '../text/flow-writer.ts';
import { OdfBody } from './odf-body.ts';

/** Reads OpenDocument texts, workbooks, and presentations. Slides are pages, and sheets are sections. */
export const readOdf: PackageReader = async ({ packed, part, writer }) => {
  await readXml(packed, 'META-INF/manifest.xml', {
    open(name) {
      if (name === 'encryption-data')
        throw new ChorusError('invalid_request', 'The file is encrypted. Only files without a password can be read.');
    },
  });
  const flow = new FlowWriter(writer);
  const pictures = new PictureList(writer);
  const body = new OdfBody(flow, writer, pictures);
  const total = packed.sizeOf(part);
  await readXml(packed, part, body, (readBytes) => writer.reach(readBytes, Math.max(total, readBytes)));
  flow.end();
  await pictures.sendFrom(packed);
  const own = packed.has('meta.xml') ? await officeTitle(packed, 'meta.xml') : null;
  return { title: own ?? body.title ?? writer.firstHeading, pageCount: body.pageCount, warnings: pictures.warnings() };
};
