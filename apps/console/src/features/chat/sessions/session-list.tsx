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
import { t, withMessages } from '../../../i18n/i18n.ts';
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
  const isEditor = useRole().isAtLeast('editor');
  const today = useToday();
  const groupOf = (session: Session | undefined) =>
    session && (session.pinned ? t('chat.pinned') : dateGroup(session.updated_at, today));
  return (
    <nav className={classes.list} aria-label={t('common.conversations')}>
      <div className={classes.head}>
        <Button component={Link} href="/chat" leftSection={<PencilSquareIcon />} onClick={onChoose} fullWidth>
          {t('common.newConversation')}
        </Button>
        <Group gap={6} wrap="nowrap">
          <TextInput
            flex={1}
            size="sm"
            placeholder={t('common.search')}
            aria-label={t('chat.searchConversations')}
            leftSection={<MagnifyingGlassIcon />}
            rightSection={
              query !== '' && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  onClick={() => setQuery('')}
                  aria-label={t('chat.clearSearch')}
                >
                  <XMarkIcon />
                </ActionIcon>
              )
            }
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
          <Tooltip label={starred ? t('chat.showAll') : t('chat.showStarredOnly')}>
            <ActionIcon
              size="lg"
              variant={starred ? 'filled' : 'default'}
              aria-label={t('chat.showStarredOnly')}
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
            {isEditor && sessions.items.length > 0 && (
              <Tooltip label={t('chat.selectConversations')}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('chat.selectConversations')}
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
          label={t('common.conversations')}
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
                  hasMenu={isEditor}
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
      <EmptyState title={t('common.noResults')} icon={MagnifyingGlassIcon}>
        {t('chat.noResultsHint')}
      </EmptyState>
    );
  }
  if (view === 'archived') {
    return (
      <EmptyState title={t('chat.nothingArchived')} icon={ArchiveBoxIcon}>
        {t('chat.nothingArchivedHint')}
      </EmptyState>
    );
  }
  if (view !== 'all') {
    return (
      <EmptyState title={t('chat.folderEmpty')} icon={FolderIcon}>
        {t('chat.folderEmptyHint')}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t('chat.noConversationsYet')} icon={ChatBubbleLeftRightIcon}>
      {t('chat.noConversationsHint')}
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
