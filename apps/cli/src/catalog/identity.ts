import type { CatalogGroup } from './catalog-entry.ts';

export const identity: CatalogGroup = {
  title: 'Identity',
  entries: [
    {
      path: 'auth login',
      summary: 'Sign in, and store the key',
      load: () => import('../commands/auth/login.ts'),
    },
    {
      path: 'auth logout',
      summary: 'Remove the stored key',
      load: () => import('../commands/auth/logout.ts'),
    },
    {
      path: 'auth status',
      summary: 'Tell who you are and how you are signed in',
      load: () => import('../commands/auth/status.ts'),
    },
    {
      path: 'auth token',
      summary: 'Print the key that is used',
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
      summary: 'Choose the context that is used',
      load: () => import('../commands/context/use.ts'),
    },
    {
      path: 'context show',
      summary: 'Show a context',
      load: () => import('../commands/context/show.ts'),
    },
    {
      path: 'context set',
      summary: 'Make or change a context',
      load: () => import('../commands/context/set.ts'),
    },
    {
      path: 'context remove',
      summary: 'Remove a context',
      load: () => import('../commands/context/remove.ts'),
    },
    {
      path: 'member list',
      summary: 'List the members of the org',
      load: () => import('../commands/member/list.ts'),
    },
    {
      path: 'member invite',
      summary: 'Invite somebody by mail',
      load: () => import('../commands/member/invite.ts'),
    },
    {
      path: 'member invitations',
      summary: 'List the open invitations',
      load: () => import('../commands/member/invitations.ts'),
    },
    {
      path: 'member uninvite',
      summary: 'Withdraw an invitation',
      load: () => import('../commands/member/uninvite.ts'),
    },
    {
      path: 'member role',
      summary: 'Give a member another role',
      load: () => import('../commands/member/role.ts'),
    },
    {
      path: 'member remove',
      summary: 'Remove a member from the org',
      load: () => import('../commands/member/remove.ts'),
    },
    {
      path: 'member departures',
      summary: 'List people who left by SCIM and whose keys are suspended',
      load: () => import('../commands/member/departures.ts'),
    },
    {
      path: 'member suspension-delay',
      summary: 'Set how long keys outlast a departure by SCIM',
      load: () => import('../commands/member/suspension-delay.ts'),
    },
    {
      path: 'change control',
      summary: 'Set who changes policies, attachments, waivers and trust',
      load: () => import('../commands/change/control.ts'),
    },
    {
      path: 'change list',
      summary: 'List the changes that wait for approval',
      load: () => import('../commands/change/list.ts'),
    },
    {
      path: 'change get',
      summary: 'Show a change that waits for approval',
      load: () => import('../commands/change/get.ts'),
    },
    {
      path: 'change approve',
      summary: 'Approve a change, which makes it',
      load: () => import('../commands/change/approve.ts'),
    },
    {
      path: 'change refuse',
      summary: 'Refuse a change',
      load: () => import('../commands/change/refuse.ts'),
    },
    {
      path: 'change withdraw',
      summary: 'Withdraw a change that you asked for',
      load: () => import('../commands/change/withdraw.ts'),
    },
    {
      path: 'sa list',
      summary: 'List the service accounts',
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
      summary: 'List keys',
      load: () => import('../commands/key/list.ts'),
    },
    {
      path: 'key create',
      summary: 'Create a key',
      load: () => import('../commands/key/create.ts'),
    },
    {
      path: 'key rotate',
      summary: 'Replace a key by a new one',
      load: () => import('../commands/key/rotate.ts'),
    },
    {
      path: 'key revoke',
      summary: 'Revoke a key',
      load: () => import('../commands/key/revoke.ts'),
    },
    {
      path: 'key restore',
      summary: 'Restore a key that is suspended',
      load: () => import('../commands/key/restore.ts'),
    },
    {
      path: 'trust list',
      summary: 'List the CI jobs that may act as service accounts',
      load: () => import('../commands/trust/list.ts'),
    },
    {
      path: 'trust add github',
      summary: 'Let jobs of GitHub act as a service account',
      load: () => import('../commands/trust/add-github.ts'),
    },
    {
      path: 'trust add gitlab',
      summary: 'Let jobs of GitLab act as a service account',
      load: () => import('../commands/trust/add-gitlab.ts'),
    },
    {
      path: 'trust add issuer',
      summary: 'Let jobs of any issuer act as a service account',
      load: () => import('../commands/trust/add-issuer.ts'),
    },
    {
      path: 'trust remove',
      summary: 'Stop letting jobs act as a service account',
      load: () => import('../commands/trust/remove.ts'),
    },
    {
      path: 'trust keys list',
      summary: 'List the keys whose signatures count',
      load: () => import('../commands/trust/keys-list.ts'),
    },
    {
      path: 'trust keys add',
      summary: 'Trust what is signed with a key',
      load: () => import('../commands/trust/keys-add.ts'),
    },
    {
      path: 'trust keys remove',
      summary: 'Stop trusting a key',
      load: () => import('../commands/trust/keys-remove.ts'),
    },
    {
      path: 'trust identities list',
      summary: 'List the identities whose signatures count',
      load: () => import('../commands/trust/identities-list.ts'),
    },
    {
      path: 'trust identities add',
      summary: 'Trust what an identity of Sigstore signs',
      load: () => import('../commands/trust/identities-add.ts'),
    },
    {
      path: 'trust identities remove',
      summary: 'Stop trusting an identity',
      load: () => import('../commands/trust/identities-remove.ts'),
    },
  ],
};
