import { MagnifyingGlassIcon } from '@heroicons/react/24/outline';
import { Loader, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { Dimmed } from '../../components/text.tsx';
import { t } from '../../i18n/i18n.ts';
import { Keys } from '../keys.tsx';
import { type Command, matches, withCommands } from './command.ts';
import classes from './command-palette.module.css';
import { useCommands } from './use-commands.ts';
import { useFoundRecords } from './use-found-records.ts';

interface CommandPaletteProps {
  opened: boolean;
  onClose: () => void;
}

const SEARCH_DEBOUNCE_MS = 150;

export default function CommandPalette({ opened, onClose }: CommandPaletteProps) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={t('palette.commandPalette')}
      withCloseButton={false}
      size="lg"
      padding={0}
      yOffset="12vh"
      classNames={{ header: classes.header }}
    >
      <Palette onClose={onClose} />
    </Dialog>
  );
}

/** Separate, so that each opening starts empty. */
function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const query = text.trim();
  const [searched] = useDebouncedValue(query, SEARCH_DEBOUNCE_MS);
  const fixed = useCommands();
  const { groups: found, isPending } = useFoundRecords(searched);
  const matching = fixed.map(({ label, commands }) => ({
    label,
    commands: query === '' ? commands : commands.filter((command) => matches(query, command)),
  }));
  // Found records come first, once something is searched.
  const groups = withCommands(
    query === '' ? [...matching.slice(0, 1), ...found, ...matching.slice(1)] : [...matching, ...found],
  );
  const commands = groups.flatMap((group) => group.commands);
  const current = Math.min(active, commands.length - 1);
  const listId = useId();
  const optionId = (command: Command) => `${listId}-${command.id}`;
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another option became active
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current, text]);

  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const steps = { ArrowDown: 1, ArrowUp: -1 } as Record<string, number | undefined>;
    const step = steps[event.key];
    if (step !== undefined) setActive((current + step + commands.length) % Math.max(1, commands.length));
    else if (event.key === 'Enter') run(commands[current]);
    else return;
    event.preventDefault();
  };
  const activeCommand = commands[current];
  return (
    <>
      <TextInput
        data-autofocus
        variant="unstyled"
        size="md"
        className={classes.input}
        placeholder={t('palette.searchOrCommand')}
        aria-label={t('common.search')}
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={activeCommand && optionId(activeCommand)}
        leftSection={isPending ? <Loader size={18} aria-hidden /> : <MagnifyingGlassIcon />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={listId} className={classes.list} role="listbox" aria-label={t('palette.results')}>
        {groups.map(({ label, commands: ofGroup }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
          <div key={label} role="group" aria-label={label}>
            <div className={classes.group} aria-hidden>
              {label}
            </div>
            {ofGroup.map((command) => (
              <Option
                key={command.id}
                id={optionId(command)}
                command={command}
                isActive={command === activeCommand}
                onPoint={() => setActive(commands.indexOf(command))}
                onRun={() => run(command)}
              />
            ))}
          </div>
        ))}
      </div>
      {commands.length === 0 && (
        <div role="status">
          <Dimmed p="md">{isPending || searched !== query ? t('palette.searching') : t('common.noResults')}</Dimmed>
        </div>
      )}
    </>
  );
}

interface OptionProps {
  id: string;
  command: Command;
  isActive: boolean;
  onPoint: () => void;
  onRun: () => void;
}

function Option({ id, command: { label, hint, icon: Icon, keys }, isActive, onPoint, onRun }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the combobox
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={classes.option}
      onMouseMove={onPoint}
      onClick={onRun}
    >
      <Icon />
      <bdi className={classes.label}>{label}</bdi>
      {hint !== undefined && <Dimmed size="xs">{hint}</Dimmed>}
      {keys && <Keys keys={keys} />}
    </div>
  );
}
