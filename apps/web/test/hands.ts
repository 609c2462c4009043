import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { isInSample } from '../../../tools/test-size.ts';

/**
 * What a person does on a page, with a mouse or with the keyboard alone. A journey written with these runs both ways.
 */
export interface Hands {
  readonly name: 'mouse' | 'keyboard';
  /** Follows a link, or presses a button, a tab, a checkbox. */
  press(target: Locator): Promise<void>;
  /** Puts the cursor into a text. */
  enter(text: Locator): Promise<void>;
  /** Replaces the text of a field. */
  fill(field: Locator, text: string): Promise<void>;
  /** Chooses one of a few. */
  choose(list: Locator, option: string): Promise<void>;
}

export function mouse(): Hands {
  return {
    name: 'mouse',
    press: async (target) => {
      // The visible part of a switch is its label.
      const isSwitch = await target.evaluate((element) => element.tagName === 'INPUT');
      await (isSwitch ? target.locator('xpath=ancestor::label') : target).click();
    },
    enter: (text) => text.click(),
    fill: (field, text) => field.fill(text),
    // The list is drawn outside the page, where the pointer of a test cannot reach.
    async choose(list, option) {
      await list.selectOption({ label: option });
    },
  };
}

/** More than any page has controls. */
const TABS_MAX = 250;

/** Moves the focus forward with Tab, and fails if that never reaches the target. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let count = 0; count < TABS_MAX; count++) {
    // Without waiting: a list that opens on the way hides everything else until the next Tab.
    if (await target.evaluateAll((found) => found.some((element) => element.matches(':focus')))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no number of tabs leads to ${target}`);
}

export function keyboard(page: Page): Hands {
  const press: Hands['press'] = async (target) => {
    await tabTo(page, target);
    const isSwitch = await target.evaluate((element) => element.tagName === 'INPUT');
    await page.keyboard.press(isSwitch ? 'Space' : 'Enter');
  };
  return {
    name: 'keyboard',
    press,
    enter: (text) => tabTo(page, text),
    async fill(field, text) {
      await tabTo(page, field);
      await page.keyboard.press('ControlOrMeta+A');
      if (text === '') await page.keyboard.press('Delete');
      else await page.keyboard.insertText(text);
    },
    async choose(list, option) {
      await tabTo(page, list);
      const labels = await list.locator('option').allTextContents();
      const steps = labels.indexOf(option) - labels.indexOf((await list.locator('option:checked').textContent()) ?? '');
      for (let step = 0; step < Math.abs(steps); step++) await page.keyboard.press(steps < 0 ? 'ArrowUp' : 'ArrowDown');
      // By focus: each step selects, which may rename the list's surroundings.
      expect(await page.locator('select:focus option:checked').textContent()).toBe(option);
    },
  };
}

/** The short form runs every journey once: every other one by mouse, the rest by keyboard. */
function journeysOf(way: number): (story: string, go: () => Promise<void>) => void {
  let place = 0;
  return (story, go) => {
    const isDue = isInSample(place + way, 2);
    place += 1;
    if (isDue) it(story, go);
    else it.skip(story, go);
  };
}

/** A full run takes every journey both ways. */
export const bothWays = [
  ['with the mouse', mouse, journeysOf(0)],
  ['with the keyboard alone', keyboard, journeysOf(1)],
] as const;

interface CountedHands extends Hands {
  /** How often something was pressed or chosen since the last time it was asked. Typing is not counted. */
  clicks(): number;
}

export function counted(hands: Hands): CountedHands {
  let count = 0;
  return {
    ...hands,
    press(target) {
      count += 1;
      return hands.press(target);
    },
    choose(list, option) {
      count += 1;
      return hands.choose(list, option);
    },
    clicks() {
      const clicks = count;
      count = 0;
      return clicks;
    },
  };
}
