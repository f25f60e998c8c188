import {
  ChatBubbleLeftRightIcon,
  MagnifyingGlassIcon,
  PencilSquareIcon,
  StarIcon,
  XMarkIcon,
} from '@heroicons/react/24/outline';
import { ActionIcon, Button, Group, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ListView } from '../../../components/list-view.tsx';
import classes from './session-list.module.css';
import { SessionRow } from './session-row.tsx';
import { useSessions } from './use-sessions.ts';

interface SessionListProps {
  /** The one that is open. */
  current: string | null;
  onChoose?: () => void;
}

const SEARCH_AFTER_MS = 250;

export function SessionList({ current, onChoose }: SessionListProps) {
  const [words, setWords] = useState('');
  const [starred, setStarred] = useState(false);
  const [searched] = useDebouncedValue(words.trim(), SEARCH_AFTER_MS);
  const sessions = useSessions({ words: searched, starred });
  const search = useRef<HTMLInputElement>(null);
  useHotkeys([['mod+K', () => search.current?.focus()]], []);
  return (
    <nav className={classes.list} aria-label="Conversations">
      <div className={classes.head}>
        <Button component={Link} href="/chat" leftSection={<PencilSquareIcon />} onClick={onChoose} fullWidth>
          New conversation
        </Button>
        <Group gap={6} wrap="nowrap">
          <TextInput
            ref={search}
            flex={1}
            size="sm"
            placeholder="Search"
            aria-label="Search conversations"
            leftSection={<MagnifyingGlassIcon />}
            rightSection={
              words !== '' && (
                <ActionIcon variant="subtle" color="gray" onClick={() => setWords('')} aria-label="Clear the search">
                  <XMarkIcon />
                </ActionIcon>
              )
            }
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
          <Tooltip label={starred ? 'Show all' : 'Starred alone'}>
            <ActionIcon
              size="lg"
              variant={starred ? 'filled' : 'default'}
              aria-label="Starred alone"
              aria-pressed={starred}
              onClick={() => setStarred(!starred)}
            >
              <StarIcon />
            </ActionIcon>
          </Tooltip>
        </Group>
      </div>
      <div className={classes.rows}>
        <ListView
          label="Conversations"
          list={sessions}
          estimatedHeight={40}
          empty={<NoSessions isFiltered={searched !== '' || starred} />}
        >
          {(session) => <SessionRow session={session} isCurrent={session.id === current} onChoose={onChoose} />}
        </ListView>
      </div>
    </nav>
  );
}

function NoSessions({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title="Nothing found" icon={MagnifyingGlassIcon}>
      Titles and all that was said are searched. Try other words, or show all.
    </EmptyState>
  ) : (
    <EmptyState title="No conversations yet" icon={ChatBubbleLeftRightIcon}>
      Write a message to begin one.
    </EmptyState>
  );
}
