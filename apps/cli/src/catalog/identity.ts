import type { CatalogGroup } from './catalog-entry.ts';

export const identity: CatalogGroup = {
  title: 'Identity',
  entries: [
    {
      path: 'auth login',
      summary: 'Sign in and store the API key',
      load: () => import('../commands/auth/login.ts'),
    },
    {
      path: 'auth logout',
      summary: 'Remove the stored API key',
      load: () => import('../commands/auth/logout.ts'),
    },
    {
      path: 'auth status',
      summary: 'Show who you are and how you are signed in',
      load: () => import('../commands/auth/status.ts'),
    },
    {
      path: 'auth token',
      summary: 'Print the API key in use',
      load: () => import('../commands/auth/token.ts'),
    },
    {
      path: 'whoami',
      summary: 'Print your login',
      load: () => import('../commands/whoami/whoami.ts'),
    },
    {
      path: 'context list',
      summary: 'List your contexts',
      load: () => import('../commands/context/list.ts'),
    },
    {
      path: 'context use',
      summary: 'Switch to another context',
      load: () => import('../commands/context/use.ts'),
    },
    {
      path: 'context show',
      summary: 'Show a context',
      load: () => import('../commands/context/show.ts'),
    },
    {
      path: 'context set',
      summary: 'Create or change a context',
      load: () => import('../commands/context/set.ts'),
    },
    {
      path: 'context remove',
      summary: 'Remove a context',
      load: () => import('../commands/context/remove.ts'),
    },
    {
      path: 'member list',
      summary: 'List members of the org',
      load: () => import('../commands/member/list.ts'),
    },
    {
      path: 'member invite',
      summary: 'Invite a person by email',
      load: () => import('../commands/member/invite.ts'),
    },
    {
      path: 'member invitations',
      summary: 'List open invitations',
      load: () => import('../commands/member/invitations.ts'),
    },
    {
      path: 'member uninvite',
      summary: 'Withdraw an invitation',
      load: () => import('../commands/member/uninvite.ts'),
    },
    {
      path: 'member role',
      summary: 'Change the role of a member',
      load: () => import('../commands/member/role.ts'),
    },
    {
      path: 'member remove',
      summary: 'Remove a member from the org',
      load: () => import('../commands/member/remove.ts'),
    },
    {
      path: 'member departures',
      summary: 'List SCIM departures and the keys they suspend',
      load: () => import('../commands/member/departures.ts'),
    },
    {
      path: 'member visibility',
      summary: 'Set who can read the members and the membership log',
      load: () => import('../commands/member/visibility.ts'),
    },
    {
      path: 'member suspension-delay',
      summary: 'Set when keys are suspended after a SCIM departure',
      load: () => import('../commands/member/suspension-delay.ts'),
    },
    {
      path: 'change control',
      summary: 'Set who can change policies, attachments, waivers, and trust',
      load: () => import('../commands/change/control.ts'),
    },
    {
      path: 'change list',
      summary: 'List changes that await approval',
      load: () => import('../commands/change/list.ts'),
    },
    {
      path: 'change get',
      summary: 'Show a change request',
      load: () => import('../commands/change/get.ts'),
    },
    {
      path: 'change approve',
      summary: 'Approve and apply a change',
      load: () => import('../commands/change/approve.ts'),
    },
    {
      path: 'change refuse',
      summary: 'Refuse a change request',
      load: () => import('../commands/change/refuse.ts'),
    },
    {
      path: 'change withdraw',
      summary: 'Withdraw your own change request',
      load: () => import('../commands/change/withdraw.ts'),
    },
    {
      path: 'sa list',
      summary: 'List service accounts',
      load: () => import('../commands/sa/list.ts'),
    },
    {
      path: 'sa get',
      summary: 'Show a service account',
      load: () => import('../commands/sa/get.ts'),
    },
    {
      path: 'sa create',
      summary: 'Create a service account',
      load: () => import('../commands/sa/create.ts'),
    },
    {
      path: 'sa update',
      summary: 'Change the role or description of a service account',
      load: () => import('../commands/sa/update.ts'),
    },
    {
      path: 'sa delete',
      summary: 'Delete a service account and its keys',
      load: () => import('../commands/sa/delete.ts'),
    },
    {
      path: 'key list',
      summary: 'List API keys',
      load: () => import('../commands/key/list.ts'),
    },
    {
      path: 'key create',
      summary: 'Create an API key',
      load: () => import('../commands/key/create.ts'),
    },
    {
      path: 'key rotate',
      summary: 'Rotate an API key',
      load: () => import('../commands/key/rotate.ts'),
    },
    {
      path: 'key revoke',
      summary: 'Revoke an API key',
      load: () => import('../commands/key/revoke.ts'),
    },
    {
      path: 'key restore',
      summary: 'Restore a suspended API key',
      load: () => import('../commands/key/restore.ts'),
    },
    {
      path: 'trust list',
      summary: 'List CI jobs trusted to act as service accounts',
      load: () => import('../commands/trust/list.ts'),
    },
    {
      path: 'trust add github',
      summary: 'Trust GitHub jobs to act as a service account',
      load: () => import('../commands/trust/add-github.ts'),
    },
    {
      path: 'trust add gitlab',
      summary: 'Trust GitLab jobs to act as a service account',
      load: () => import('../commands/trust/add-gitlab.ts'),
    },
    {
      path: 'trust add issuer',
      summary: 'Trust jobs of any OIDC issuer to act as a service account',
      load: () => import('../commands/trust/add-issuer.ts'),
    },
    {
      path: 'trust remove',
      summary: 'Stop trusting CI jobs',
      load: () => import('../commands/trust/remove.ts'),
    },
    {
      path: 'trust keys list',
      summary: 'List trusted signing keys',
      load: () => import('../commands/trust/keys-list.ts'),
    },
    {
      path: 'trust keys add',
      summary: 'Trust a signing key',
      load: () => import('../commands/trust/keys-add.ts'),
    },
    {
      path: 'trust keys remove',
      summary: 'Stop trusting a signing key',
      load: () => import('../commands/trust/keys-remove.ts'),
    },
    {
      path: 'trust identities list',
      summary: 'List trusted Sigstore identities',
      load: () => import('../commands/trust/identities-list.ts'),
    },
    {
      path: 'trust identities add',
      summary: 'Trust a Sigstore identity',
      load: () => import('../commands/trust/identities-add.ts'),
    },
    {
      path: 'trust identities remove',
      summary: 'Stop trusting a Sigstore identity',
      load: () => import('../commands/trust/identities-remove.ts'),
    },
  ],
};
