import { TagsInput } from '@mantine/core';
import { useKnownTags } from '../../../data/use-known-tags.ts';
import { useChatSettings } from './use-chat-settings.ts';

/** Chooses the tags of the documents that answers may rest on. */
export default function KnowledgeTags() {
  const { knowledgeTags, setKnowledgeTags } = useChatSettings();
  const { tags, note } = useKnownTags();
  return (
    <TagsInput
      label="Only documents with a tag of"
      description={['Empty: all documents', note].filter(Boolean).join('. ')}
      data={tags}
      value={knowledgeTags}
      onChange={setKnowledgeTags}
      comboboxProps={{ withinPortal: false }}
      maxTags={50}
      clearable
      // It is fetched when it is opened, and comes after the look for what is to have the focus.
      autoFocus
    />
  );
}
