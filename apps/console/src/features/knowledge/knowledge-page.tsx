import { lazy } from 'react';
import { Route, Switch, useRoute } from 'wouter';
import { ForRole } from '../../components/not-allowed.tsx';
import { Page } from '../../components/page.tsx';

const tabs = [
  { path: 'documents', label: 'Documents' },
  { path: 'ask', label: 'Ask' },
] as const;

const Documents = lazy(() => import('./documents/documents.tsx'));
const Ask = lazy(() => import('./ask/ask-panel.tsx'));

/** One's documents: what is done to them, and what they answer. */
export default function KnowledgePage() {
  const [isAsking] = useRoute('/knowledge/ask');
  return (
    <Page title="Knowledge" base="/knowledge" tabs={tabs} current={isAsking ? 'ask' : 'documents'}>
      <Switch>
        <Route path="/knowledge/ask">
          <ForRole least="editor" what="ask its documents">
            <Ask />
          </ForRole>
        </Route>
        <Route path="/knowledge/:entryId?">{({ entryId }) => <Documents entryId={entryId} />}</Route>
      </Switch>
    </Page>
  );
}
