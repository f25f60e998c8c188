import { loadSignIn } from './account/account-gate.tsx';
import { login, loginStore } from './account/login.ts';
import { App } from './app.tsx';
import { startLanguage } from './i18n/i18n.ts';
import { basePath } from './page-config.ts';
import { sectionAt } from './shell/sections.ts';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

// Loads the requested page while the shell renders. A failure is reported when the page itself renders.
const section = sectionAt(location.pathname.slice(basePath.length));
const loadPage = loginStore.current() === null ? loadSignIn : section?.load;
loadPage?.().catch(() => undefined);
void login.reportSignOut();

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');
startLanguage(['common']).then(
  () =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  () => root.replaceChildren('Chorus could not be loaded. Check your network connection, then reload the page.'),
);
