import { useState } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { Checkbox } from '../../ui/Fields.tsx';
import { Notice } from '../../ui/Panel.tsx';

export interface Secret {
  readonly title: string;
  /** What it is, such as `key`. */
  readonly what: string;
  readonly text: string;
  readonly note?: React.ReactNode;
}

/**
 * A secret is shown once, in this dialog only. A click outside or Escape does not close it: the reader has to confirm
 * that the secret is stored.
 */
export function SecretDialog({ secret, onClose }: { readonly secret: Secret; readonly onClose: () => void }) {
  const [isStored, setStored] = useState(false);
  return (
    <ModalOverlay
      isOpen
      isDismissable={false}
      isKeyboardDismissDisabled
      className="fixed inset-0 z-40 flex items-start justify-center overflow-auto bg-black/40 p-4 pt-[10vh] print:hidden"
    >
      <Modal className="w-full max-w-lg rounded-xl border border-line bg-panel shadow-2xl">
        <AriaDialog role="alertdialog" className="space-y-4 px-5 pt-4 pb-5 outline-none">
          <Heading slot="title" className="text-[16px] font-semibold">
            {secret.title}
          </Heading>
          <Notice kind="unsure" title={`This ${secret.what} is shown only once`}>
            Copy it to where you need it. If you lose it, create another one.
          </Notice>
          <div className="flex items-start gap-2 rounded-md border border-line bg-raised p-3">
            <code className="min-w-0 flex-1 [overflow-wrap:anywhere] select-all">{secret.text}</code>
            <CopyButton text={secret.text} what={secret.what} label="Copy" />
          </div>
          {secret.note !== undefined && <div className="text-[13.5px]">{secret.note}</div>}
          <Checkbox isSelected={isStored} onChange={setStored}>
            I have saved the {secret.what}
          </Checkbox>
          <Button variant="primary" isDisabled={!isStored} onPress={onClose}>
            Close
          </Button>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
