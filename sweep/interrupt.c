#include "sweep/interrupt.h"

#include <string.h>

#include "sweep/cmd.h"

volatile sig_atomic_t interrupt_count;
static volatile sig_atomic_t first_signal;

static void on_signal(int signum)
{
	if (!first_signal)
		first_signal = signum;
	interrupt_count++;
}

void interrupt_install(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	sigemptyset(&action.sa_mask);
	action.sa_handler = on_signal;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGPIPE, &action, NULL);
}

const char *interrupt_name(void)
{
	if (!first_signal)
		return "";
	return first_signal == SIGTERM ? "SIGTERM" : "SIGINT";
}

int interrupt_exit_status(void)
{
	if (!first_signal)
		return EXIT_OK;
	return first_signal == SIGTERM ? EXIT_SIGTERM : EXIT_SIGINT;
}
