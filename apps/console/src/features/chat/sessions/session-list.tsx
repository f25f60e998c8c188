import type { Session } from '@chorus/client';
import {
  ArchiveBoxIcon,
  ChatBubbleLeftRightIcon,
  CheckCircleIcon,
  FolderIcon,
  MagnifyingGlassIcon,
  PencilSquareIcon,
  StarIcon,
  XMarkIcon,
} from '@heroicons/react/24/outline';
import { ActionIcon, Button, Group, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { ListView } from '../../../components/list-view.tsx';
import { EmptyState } from '../../../components/placeholders.tsx';
import { useCursorList } from '../../../data/use-cursor-list.ts';
import { withMessages } from '../../../i18n/i18n.ts';
import { useRole } from '../../../scope/use-role.ts';
import { dateGroup, useToday } from './date-groups.ts';
import classes from './session-list.module.css';
import { SessionRow } from './session-row.tsx';
import { useFolders } from './use-folders.ts';
import { useSelection } from './use-selection.ts';
import { type View, ViewMenu } from './view-menu.tsx';

const SelectionBar = lazy(withMessages(['conversation', 'components'], () => import('./selection-bar.tsx')));

interface SessionListProps {
  current: string | null;
  onChoose?: () => void;
}

const SEARCH_DEBOUNCE_MS = 250;

export function SessionList({ current, onChoose }: SessionListProps) {
  const [query, setQuery] = useState('');
  const [starred, setStarred] = useState(false);
  const [debouncedQuery] = useDebouncedValue(query.trim(), SEARCH_DEBOUNCE_MS);
  const [chosenView, setView] = useState<View>('all');
  const folders = useFolders();
  // Another tab may have deleted the folder.
  const view = chosenView.startsWith('fld_') && !folders.some(({ id }) => id === chosenView) ? 'all' : chosenView;
  const sessions = useSessions({ query: debouncedQuery, starred, view });
  const selection = useSelection(sessions.items);
  const { isAtLeast } = useRole();
  const today = useToday();
  const groupOf = (session: Session | undefined) =>
    session && (session.pinned ? 'Pinned' : dateGroup(session.updated_at, today));
  return (
    <nav className={classes.list} aria-label="Conversations">
      <div className={classes.head}>
        <Button component={Link} href="/chat" leftSection={<PencilSquareIcon />} onClick={onChoose} fullWidth>
          New conversation
        </Button>
        <Group gap={6} wrap="nowrap">
          <TextInput
            flex={1}
            size="sm"
            placeholder="Search"
            aria-label="Search conversations"
            leftSection={<MagnifyingGlassIcon />}
            rightSection={
              query !== '' && (
                <ActionIcon variant="subtle" color="gray" onClick={() => setQuery('')} aria-label="Clear search">
                  <XMarkIcon />
                </ActionIcon>
              )
            }
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
          <Tooltip label={starred ? 'Show all' : 'Show starred only'}>
            <ActionIcon
              size="lg"
              variant={starred ? 'filled' : 'default'}
              aria-label="Show starred only"
              aria-pressed={starred}
              onClick={() => setStarred(!starred)}
            >
              <StarIcon />
            </ActionIcon>
          </Tooltip>
        </Group>
        {selection.ids === null ? (
          <Group gap={4} wrap="nowrap">
            <ViewMenu view={view} onChange={setView} />
            {isAtLeast('editor') && sessions.items.length > 0 && (
              <Tooltip label="Select conversations">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label="Select conversations"
                  onClick={() => selection.start()}
                >
                  <CheckCircleIcon />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        ) : (
          <Suspense>
            <SelectionBar selection={selection} count={sessions.items.length} isArchive={view === 'archived'} />
          </Suspense>
        )}
      </div>
      <div className={classes.rows}>
        <ListView
          label="Conversations"
          list={sessions}
          estimatedHeight={40}
          empty={<NoSessions isFiltered={debouncedQuery !== '' || starred} view={view} />}
        >
          {(session, index) => {
            const group = groupOf(session);
            // Results are ordered by relevance.
            const isFirst = debouncedQuery === '' && group !== groupOf(sessions.items[index - 1]);
            return (
              <>
                {isFirst && <div className={classes.group}>{group}</div>}
                <SessionRow
                  session={session}
                  isCurrent={session.id === current}
                  isSelected={selection.ids?.has(session.id)}
                  onToggle={selection.toggle}
                  onChoose={onChoose}
                />
              </>
            );
          }}
        </ListView>
      </div>
    </nav>
  );
}

function NoSessions({ isFiltered, view }: { isFiltered: boolean; view: View }) {
  if (isFiltered) {
    return (
      <EmptyState title="No results" icon={MagnifyingGlassIcon}>
        Titles and messages are searched. Try other words, or show all conversations.
      </EmptyState>
    );
  }
  if (view === 'archived') {
    return (
      <EmptyState title="Nothing archived" icon={ArchiveBoxIcon}>
        Archived conversations leave the list, and are still found by a search.
      </EmptyState>
    );
  }
  if (view !== 'all') {
    return (
      <EmptyState title="This folder is empty" icon={FolderIcon}>
        Move conversations here with their menu.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No conversations yet" icon={ChatBubbleLeftRightIcon}>
      Write a message to start one.
    </EmptyState>
  );
}

interface SessionFilters {
  /** Matches titles and messages; empty for all. */
  query: string;
  starred: boolean;
  view: View;
}

/** Lists conversations: pinned ones first, then newest first; search results by relevance. */
function useSessions({ query, starred, view }: SessionFilters) {
  const filters = {
    ...(query !== '' && { q: query }),
    ...(starred && { starred: 'true' as const }),
    ...(view === 'archived' && { archived: 'true' as const }),
    ...(view.startsWith('fld_') && { folder_id: view }),
  };
  return useCursorList({
    name: 'sessions',
    filters,
    fetchPage: (client, page, options) => client.sessions.list({ ...page, ...filters }, options),
  });
}
