// Drives the example `watch` in headless Chromium: the picture, its live state, the form of the gate, two browsers that
// answer it, and a web page of another origin that tries to. Screenshots go to the folder that is the second argument.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const [watch, pictures, executablePath] = process.argv.slice(2);
// Before the run, which does not wait for it.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 900, height: 800 } });
const program = spawn(watch, ["--pace", "4000"], { stdio: ["ignore", "pipe", "inherit"] });
const ended = new Promise((resolve) => program.on("exit", resolve));
const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
const line = async () => (await lines.next()).value;

const url = (await line()).replace("open ", "");
const token = url.split("#")[1];
try {
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(url);

  const node = (name, on = page) => on.locator(`[data-node="${name}"]`);
  const becomes = (name, state, on = page) => on.waitForSelector(`[data-node="${name}"].${state}`);
  for (const name of ["start", "track", "appraise", "propose", "decide", "done"]) {
    assert.equal(await node(name).count(), 1, name);
  }
  await becomes("track", "busy");
  await page.screenshot({ path: `${pictures}/running.png` });
  await becomes("propose", "busy");
  await becomes("propose", "done");
  await page.waitForSelector("form");
  await becomes("decide", "asks");
  await page.screenshot({ path: `${pictures}/asked.png` });
  assert.equal(await page.locator("#status").textContent(), "suspended");
  assert.match(await page.locator("form").textContent(), /Shall this refund be paid\?euros: 15/);
  const names = await page.locator("form [name]").evaluateAll((all) => all.map((it) => [it.name, it.type]));
  assert.deepEqual(names.sort(), [
    ["answer.euros", "number"],
    ["answer.method", "select-one"],
    ["answer.note", "text"],
    ["answer.pay", "checkbox"],
  ]);

  // Without the token the page shows nothing.
  const stranger = await browser.newPage();
  await stranger.goto(url.split("#")[0]);
  await stranger.waitForSelector("li");
  assert.match(await stranger.locator("#log").textContent(), /token is missing/);
  assert.equal(await stranger.locator("form").count(), 0);

  // A web page of another origin, which even knows the token.
  const evil = createServer((_, response) => response.end("<p>A page.</p>")).listen(0, "127.0.0.1");
  await new Promise((resolve) => evil.on("listening", resolve));
  const other = await browser.newPage();
  await other.goto(`http://127.0.0.1:${evil.address().port}/`);
  const address = url.split("#")[0];
  const tried = await other.evaluate(
    async ([address, token]) => {
      const body = JSON.stringify({ type: "reply", id: "decide", answer: { pay: true, euros: 999, method: "Card" } });
      const outcome = (promise) => promise.then((it) => it.status, (error) => error.name);
      const path = `${address}runs/claim-7/commands`;
      const socket = new WebSocket(`${address.replace("http", "ws")}runs/claim-7/socket?token=${token}`);
      const opened = new Promise((resolve) => {
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      });
      return [
        await outcome(fetch(path, { method: "POST", body, headers: { Authorization: `Bearer ${token}` } })),
        await outcome(fetch(`${path}?token=${token}`, { method: "POST", body, mode: "no-cors" })),
        await opened,
      ];
    },
    [address, token],
  );
  assert.deepEqual([tried[0], tried[2]], ["TypeError", "refused"]);
  evil.close();
  assert.equal(await page.locator("form").count(), 1);

  // An answer that does not fit is refused in the form.
  await page.locator("form button").click();
  await page.waitForFunction(() => document.querySelector(".error").textContent !== "");
  await page.screenshot({ path: `${pictures}/refused.png` });

  // Two browsers answer.
  const second = await browser.newPage();
  await second.goto(url);
  await second.waitForSelector("form");
  await becomes("track", "done", second);
  const fill = async (on, euros) => {
    await on.locator('[name="answer.pay"]').check();
    await on.locator('[name="answer.euros"]').fill(euros);
    await on.locator('[name="answer.method"]').selectOption("Voucher");
    await on.locator('[name="answer.note"]').fill("sorry");
  };
  await fill(page, "12");
  await fill(second, "13");
  // The form is gone for whoever comes late.
  const answer = (on) => on.locator("form button").click({ timeout: 2_000 }).catch(() => {});
  await Promise.all([answer(page), answer(second)]);
  await becomes("done", "done");
  await becomes("done", "done", second);
  await page.screenshot({ path: `${pictures}/done.png` });
  assert.equal(await page.locator("form").count(), 0);
  assert.equal(await second.locator("form").count(), 0);
  assert.match(await line(), /^settled: 1[23] euros as a voucher \(sorry\)$/);
  assert.equal(await ended, 0);
  assert.deepEqual(problems, []);
  console.log("the page shows the run, and nobody else answers its gate");
} finally {
  await browser.close();
  program.kill();
}
