import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { getOwnSession } from '@waymark/contract';
import { createRoot } from 'react-dom/client';
import { queryClient, readKey } from '../src/lib/queries.ts';
import { parseSearch, stringifySearch } from '../src/lib/route.ts';
import '../src/app/style.css';
import { Kit } from './Kit.tsx';
import { ORG } from './story.ts';

// Stories never call the server: what they read is here, and stays.
queryClient.setDefaultOptions({ queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } });
queryClient.setQueryData(readKey(getOwnSession, {}), {
  kind: 'user',
  login: 'ada',
  display_name: 'Ada Lovelace',
  email: 'ada@example.com',
  csrf_token: null,
  only_org: null,
  scope: null,
  orgs: [{ name: ORG, kind: 'shared', role: 'admin', sso_required: false, members_visible: false }],
});

// The address in the browser is that of the kit. Components get the address of an org's page, and their links stay here.
const root = createRootRoute({ component: Outlet });
const page = createRoute({ getParentRoute: () => root, path: '/$org', component: Kit, notFoundComponent: Kit });
const router = createRouter({
  routeTree: root.addChildren([page]),
  history: createMemoryHistory({ initialEntries: [`/${ORG}`] }),
  parseSearch,
  stringifySearch,
});

const place = document.getElementById('app');
if (!place) throw new Error('the page has no place for the kit');
createRoot(place).render(
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
