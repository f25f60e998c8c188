import type { OcrResult } from '@chorus/client';
import { Text } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import classes from './page-view.module.css';

interface PageViewProps {
  page: OcrResult['pages'][number];
  /** URL of the image; null for documents, whose pages are drawn from their words. */
  image: string | null;
}

export function PageView({ page, image }: PageViewProps) {
  const { width, height, rotation, lines, text } = page;
  if (lines === null) return <Text className={classes.text}>{text}</Text>;
  const words = lines.flatMap((line) => line.words);
  return (
    <svg
      className={classes.page}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={t('studio.pageText', { number: page.number, text })}
    >
      {image === null ? (
        <rect width={width} height={height} className={classes.sheet} />
      ) : (
        <UprightImage image={image} width={width} height={height} rotation={rotation} />
      )}
      {words.map(({ text: word, box, confidence }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same word may appear twice
        <g key={index}>
          <rect {...box} className={classes.box} data-unsure={(confidence ?? 1) < 0.6 || undefined}>
            <title>{confidence === null ? word : `${word} (${Math.round(confidence * 100)}%)`}</title>
          </rect>
          {image === null && (
            <text
              x={box.x}
              y={box.y + box.height * 0.8}
              fontSize={box.height * 0.9}
              textLength={box.width}
              className={classes.word}
            >
              {word}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

/** Rotates the image about its center until its lines are level, as the OCR engine does. */
function UprightImage({
  image,
  width,
  height,
  rotation,
}: {
  image: string;
  width: number;
  height: number;
  rotation: number;
}) {
  const isSideways = Math.abs(Math.round(rotation / 90)) % 2 === 1;
  const [ownWidth, ownHeight] = isSideways ? [height, width] : [width, height];
  return (
    <image
      href={image}
      x={(width - ownWidth) / 2}
      y={(height - ownHeight) / 2}
      width={ownWidth}
      height={ownHeight}
      transform={`rotate(${rotation} ${width / 2} ${height / 2})`}
      preserveAspectRatio="none"
    />
  );
}
