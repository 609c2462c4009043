import { Loading } from '../../ui/States.tsx';
import { DetailsPanel, TagsPanel } from './DetailSettings.tsx';
import { EnvironmentHead, useEnvironment } from './EnvironmentHead.tsx';
import { MemberSettings } from './MemberSettings.tsx';
import { ArchivePanel, RenamePanel } from './NameSettings.tsx';
import { PeriodReport } from './PeriodReport.tsx';

export function EnvironmentSettingsPage() {
  const { data: environment, error } = useEnvironment();
  return (
    <>
      <EnvironmentHead />
      {!environment && !error && <Loading />}
      {environment && (
        <div key={environment.id} className="grid items-start gap-4 lg:grid-cols-2">
          <div className="space-y-4">
            <DetailsPanel environment={environment} />
            <TagsPanel environment={environment} />
          </div>
          <div className="space-y-4">
            {environment.type === 'logical' && <MemberSettings environment={environment} />}
            <PeriodReport environment={environment} />
            <RenamePanel environment={environment} />
            <ArchivePanel environment={environment} />
          </div>
        </div>
      )}
    </>
  );
}
