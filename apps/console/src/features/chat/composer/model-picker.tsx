import { Select } from '@mantine/core';
import { useModels } from '../../../data/use-models.ts';
import classes from './composer.module.css';
import { useChatSettings } from './use-chat-settings.ts';

const DEFAULT = 'default';

export function ModelPicker() {
  const { model, setModel } = useChatSettings();
  const models = useModels('chat');
  // One that was chosen and can't be run now is shown as it is: requests name it.
  const ids = [...new Set([...models.map(({ id }) => id), ...(model === null ? [] : [model])])];
  return (
    <Select
      className={classes.model}
      size="xs"
      variant="unstyled"
      aria-label="Model"
      data={[{ value: DEFAULT, label: 'Usual model' }, ...ids.map((id) => ({ value: id, label: id }))]}
      value={model ?? DEFAULT}
      onChange={(value) => setModel(value === null || value === DEFAULT ? null : value)}
      searchable={ids.length > 8}
      allowDeselect={false}
      comboboxProps={{ width: 280, position: 'top-start' }}
    />
  );
}
