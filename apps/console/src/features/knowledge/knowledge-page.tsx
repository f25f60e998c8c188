import { lazy } from 'react';
import { Route, Switch, useRoute } from 'wouter';
import { Page } from '../../components/page.tsx';
import { RoleGate } from '../../components/role-gate.tsx';

const tabs = [
  { path: 'documents', label: 'Documents' },
  { path: 'ask', label: 'Ask' },
] as const;

const Documents = lazy(() => import('./documents/documents.tsx'));
const Ask = lazy(() => import('./ask/ask-panel.tsx'));

export default function KnowledgePage() {
  const [isAsking] = useRoute('/knowledge/ask');
  return (
    <Page title="Knowledge" base="/knowledge" tabs={tabs} current={isAsking ? 'ask' : 'documents'}>
      <Switch>
        <Route path="/knowledge/ask">
          <RoleGate minRole="editor" action="ask its documents">
            <Ask />
          </RoleGate>
        </Route>
        <Route path="/knowledge/:entryId?">{({ entryId }) => <Documents entryId={entryId} />}</Route>
      </Switch>
    </Page>
  );
}
