import { lazy } from 'react';
import { Route, Switch, useRoute } from 'wouter';
import { Page } from '../../components/page.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { t } from '../../i18n/i18n.ts';

const tabs = [
  { path: 'documents', label: 'components.documents' },
  { path: 'ask', label: 'knowledge.askTab' },
] as const;

const Documents = lazy(() => import('./documents/documents.tsx'));
const Ask = lazy(() => import('./ask/ask-panel.tsx'));

export default function KnowledgePage() {
  const [isAsking] = useRoute('/knowledge/ask');
  return (
    <Page title={t('common.knowledge')} base="/knowledge" tabs={tabs} current={isAsking ? 'ask' : 'documents'}>
      <Switch>
        <Route path="/knowledge/ask">
          <RoleGate minRole="editor" action={t('knowledge.actionAsk')}>
            <Ask />
          </RoleGate>
        </Route>
        <Route path="/knowledge/:entryId?">{({ entryId }) => <Documents entryId={entryId} />}</Route>
      </Switch>
    </Page>
  );
}
