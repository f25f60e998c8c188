import { TagsInput, Textarea, TextInput } from '@mantine/core';

export interface UnitDraft {
  title: string;
  content: string;
  tags: string[];
}

interface UnitFieldsProps {
  draft: UnitDraft;
  onChange: (draft: UnitDraft) => void;
  isTitleRequired: boolean;
}

export function UnitFields({ draft, onChange, isTitleRequired }: UnitFieldsProps) {
  return (
    <>
      <TextInput
        label="Title"
        description={isTitleRequired ? undefined : 'Empty: its beginning'}
        value={draft.title}
        onChange={(event) => onChange({ ...draft, title: event.currentTarget.value })}
        maxLength={300}
        required={isTitleRequired}
        data-autofocus
      />
      <Textarea
        label="Text"
        description="Markdown"
        value={draft.content}
        onChange={(event) => onChange({ ...draft, content: event.currentTarget.value })}
        autosize
        minRows={8}
        maxRows={24}
        required
      />
      <TagsInput label="Tags" value={draft.tags} onChange={(tags) => onChange({ ...draft, tags })} maxTags={50} />
    </>
  );
}
