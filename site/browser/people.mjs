// Invented people who sign up and press buttons.

import {base} from './browser.mjs';

let people = 0;

// signUp creates an account for an invented person. It ends at the account's keys, or at the given goal. Without at, it begins at the page that
// is open.
export async function signUp(page, {at = '/dashboard/sign-up', goal = page.locator('#key-list h3')} = {}) {
	const person = {email: `ana.${Date.now()}.${people++}@exemplu.example`, password: 'o parolă inventată'};
	if (at) await page.goto(base + at);
	await page.getByLabel(/^(Name|Nume)$/).fill('Ana Exemplu');
	await page.getByLabel('E-mail').fill(person.email);
	await page.getByLabel(/^(Password|Parolă)$/).fill(person.password);
	await page.getByRole('checkbox').check();
	await send(page, /^(Create an account|Creați un cont)$/, goal);
	return person;
}

// send presses a button and waits for its result. All walks share one address, which may sign in three times in ten
// seconds: the page says how long to wait, and keeps the content of the form.
export async function send(page, button, goal) {
	const limited = page.getByRole('alert').getByText(/wait \d+ s|așteptați \d+ s/);
	for (;;) {
		await page.getByRole('button', {name: button, exact: true}).click();
		await goal.or(limited).first().waitFor();
		if (await goal.isVisible()) return;
		const [seconds] = (await limited.textContent()).match(/\d+/);
		await page.waitForTimeout(seconds * 1000);
	}
}

// watchSome creates a watch-list with two companies for the person who is signed in on a page.
export const watchSome = (page) => page.evaluate(async () => {
	const send = async (path, body) => (await fetch(path, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)})).json();
	const {id} = await send('/v1/watchlists', {name: 'Furnizori'});
	await send(`/v1/watchlists/${id}/companies`, {items: [{taxId: '9900000010'}, {taxId: '9900000029'}]});
});
