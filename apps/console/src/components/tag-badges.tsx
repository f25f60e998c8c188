import { Badge } from '@mantine/core';

/** The most that a row of a list shows. */
const SHOWN = 6;

/** The tags of a record, in its row of a list. */
export function TagBadges({ tags }: { tags: readonly string[] }) {
  const more = tags.length - SHOWN;
  return (
    <>
      {tags.slice(0, SHOWN).map((tag) => (
        <Badge key={tag} size="xs" variant="default" tt="none">
          {tag}
        </Badge>
      ))}
      {more > 0 && (
        <Badge size="xs" variant="transparent" color="gray" tt="none">
          and {more} more
        </Badge>
      )}
    </>
  );
}
