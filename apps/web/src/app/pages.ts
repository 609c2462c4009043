interface PageEntry {
  /** Below the org. */
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: the router asks for a module whose exports it does not know either.
  readonly load: () => Promise<any>;
  readonly name: string;
}

const page = (path: string, name: string, load: PageEntry['load']): PageEntry => ({ path, name, load });

/** Every page there is, each loaded when it is opened. */
export const pages: readonly PageEntry[] = [
  page('/', 'HomePage', () => import('../pages/home/HomePage.tsx')),

  page('/environments', 'EnvironmentsPage', () => import('../pages/environments/EnvironmentsPage.tsx')),
  page('/environments/$env', 'EnvironmentPage', () => import('../pages/environments/EnvironmentPage.tsx')),
  page('/environments/$env/timeline', 'TimelinePage', () => import('../pages/timeline/TimelinePage.tsx')),
  page('/environments/$env/snapshots', 'SnapshotsPage', () => import('../pages/environments/SnapshotsPage.tsx')),
  page(
    '/environments/$env/snapshots/$expression',
    'SnapshotPage',
    () => import('../pages/environments/SnapshotPage.tsx'),
  ),
  page('/environments/$env/compare/$range', 'ComparePage', () => import('../pages/environments/ComparePage.tsx')),
  page('/environments/$env/events', 'EventsPage', () => import('../pages/environments/EventsPage.tsx')),
  page(
    '/environments/$env/policies',
    'EnvironmentPoliciesPage',
    () => import('../pages/environments/EnvironmentPoliciesPage.tsx'),
  ),
  page(
    '/environments/$env/settings',
    'EnvironmentSettingsPage',
    () => import('../pages/environments/EnvironmentSettingsPage.tsx'),
  ),
  page('/environments/$env/why', 'EnvironmentWhyPage', () => import('../pages/why/EnvironmentWhyPage.tsx')),

  page('/matrix', 'MatrixPage', () => import('../pages/matrix/MatrixPage.tsx')),
  page('/trace', 'TracePage', () => import('../pages/trace/TracePage.tsx')),
  page('/trace/$what', 'TracePage', () => import('../pages/trace/TracePage.tsx')),
  page('/components', 'ComponentsPage', () => import('../pages/components/ComponentsPage.tsx')),
  page('/components/diff', 'ComponentDiffPage', () => import('../pages/components/ComponentDiffPage.tsx')),
  page('/findings', 'FindingsPage', () => import('../pages/findings/FindingsPage.tsx')),
  page('/deployments', 'DeploymentsPage', () => import('../pages/deployments/DeploymentsPage.tsx')),

  page('/flows', 'FlowsPage', () => import('../pages/flows/FlowsPage.tsx')),
  page('/flows/$flow', 'FlowPage', () => import('../pages/flows/FlowPage.tsx')),
  page('/flows/$flow/template', 'FlowTemplatePage', () => import('../pages/flows/FlowTemplatePage.tsx')),
  page('/flows/$flow/trails/$trail', 'TrailPage', () => import('../pages/trails/TrailPage.tsx')),
  page('/flows/$flow/trails/$trail/why', 'TrailWhyPage', () => import('../pages/why/TrailWhyPage.tsx')),
  page('/flows/$flow/artifacts/$fingerprint', 'ArtifactPage', () => import('../pages/artifacts/ArtifactPage.tsx')),
  page('/flows/$flow/artifacts/$fingerprint/why', 'ArtifactWhyPage', () => import('../pages/why/ArtifactWhyPage.tsx')),
  page('/artifacts/$fingerprint', 'AnyArtifactPage', () => import('../pages/artifacts/AnyArtifactPage.tsx')),

  page('/policies', 'PoliciesPage', () => import('../pages/policies/PoliciesPage.tsx')),
  page('/policies/new', 'NewPolicyPage', () => import('../pages/policies/NewPolicyPage.tsx')),
  page('/policies/$policy', 'PolicyPage', () => import('../pages/policies/PolicyPage.tsx')),
  page('/policies/$policy/test', 'PolicyTestPage', () => import('../pages/policies/PolicyTestPage.tsx')),
  page('/controls', 'ControlsPage', () => import('../pages/controls/ControlsPage.tsx')),
  page('/controls/$control', 'ControlPage', () => import('../pages/controls/ControlPage.tsx')),
  page('/controls/$control/$tab', 'ControlPage', () => import('../pages/controls/ControlPage.tsx')),

  page('/audit', 'AuditPage', () => import('../pages/audit/AuditPage.tsx')),
  page('/audit/$tab', 'AuditPage', () => import('../pages/audit/AuditPage.tsx')),
  page('/notifications', 'NotificationsPage', () => import('../pages/notifications/NotificationsPage.tsx')),
  page('/deliveries', 'DeliveriesPage', () => import('../pages/deliveries/DeliveriesPage.tsx')),
  page('/deliveries/$delivery', 'DeliveryPage', () => import('../pages/deliveries/DeliveryPage.tsx')),
  page('/changes', 'ChangesPage', () => import('../pages/changes/ChangesPage.tsx')),
  page('/changes/$change', 'ChangePage', () => import('../pages/changes/ChangePage.tsx')),
  page('/settings', 'SettingsPage', () => import('../pages/settings/SettingsPage.tsx')),
  page('/settings/$tab', 'SettingsPage', () => import('../pages/settings/SettingsPage.tsx')),
  page(
    '/settings/service-accounts/$account',
    'ServiceAccountPage',
    () => import('../pages/settings/ServiceAccountPage.tsx'),
  ),
];
